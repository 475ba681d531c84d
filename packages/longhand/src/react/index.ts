export { ChatPanel, type ChatPanelProps } from './chat-panel.tsx';
export { useChatStore } from './use-chat-store.ts';
