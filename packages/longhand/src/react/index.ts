export { ChatPanel, type ChatPanelProps, describeChange } from './chat-panel.tsx';
export { useChatStore } from './use-chat-store.ts';
