import {
  BookOpen,
  Bot,
  Brain,
  Compass,
  Feather,
  FlaskConical,
  Globe,
  Hammer,
  Heart,
  Leaf,
  Lightbulb,
  type LucideIcon,
  Map as MapIcon,
  MessageCircle,
  Pen,
  Rocket,
  Scale,
  Search,
  Shield,
  Sparkles,
  Star,
} from 'lucide-react';
import type { ReactNode } from 'react';

const ICONS: Readonly<Record<string, LucideIcon>> = {
  bot: Bot,
  brain: Brain,
  'book-open': BookOpen,
  compass: Compass,
  feather: Feather,
  flask: FlaskConical,
  globe: Globe,
  hammer: Hammer,
  heart: Heart,
  leaf: Leaf,
  lightbulb: Lightbulb,
  map: MapIcon,
  'message-circle': MessageCircle,
  pen: Pen,
  rocket: Rocket,
  scale: Scale,
  search: Search,
  shield: Shield,
  sparkles: Sparkles,
  star: Star,
};

/** No agent that talks: its core is what all agents see. */
export const WHITEBOARD = 'whiteboard';

export interface AgentMarkProps {
  readonly icon: string | null;
  readonly colour: string | null;
  readonly size?: number;
}

/** The sign of an agent, in its colour. Other programs may set names that the console does not know. */
export function AgentMark({ icon, colour, size = 36 }: AgentMarkProps): ReactNode {
  const Icon = (icon !== null && ICONS[icon]) || Bot;
  return (
    <span
      className="agent-mark"
      data-colour={colour ?? 'slate'}
      style={{ inlineSize: size, blockSize: size }}
    >
      <Icon size={size * 0.54} />
    </span>
  );
}
