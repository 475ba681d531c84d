import {
  BookOpen,
  Brain,
  FileText,
  Heart,
  Lightbulb,
  type LucideIcon,
  MessageCircle,
  NotebookText,
  Scale,
  ScrollText,
} from 'lucide-react';
import type { ReactNode } from 'react';

/** Each kind of what is remembered has an icon and a colour, and its word beside them. */
const ICONS: Readonly<Record<string, LucideIcon>> = {
  conversation: MessageCircle,
  decision: Scale,
  finding: Lightbulb,
  preference: Heart,
  journal: BookOpen,
  core: Brain,
  detail: FileText,
  notes: NotebookText,
  transcript: ScrollText,
  summary: ScrollText,
};

export function TypeIcon({ type, size = 18 }: { readonly type: string; readonly size?: number }): ReactNode {
  const Icon = ICONS[type] ?? FileText;
  return <Icon size={size} className={`type-icon is-${type}`} />;
}
