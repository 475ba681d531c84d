import type { LucideIcon } from 'lucide-react';
import {
  type KeyboardEvent,
  type ReactNode,
  type ToggleEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { Link } from 'wouter';

export interface MenuProps {
  /** What a screen reader calls it. */
  readonly label: string;
  readonly trigger: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A button with a menu, in a popover of the browser's own. */
export function Menu({ label, trigger, className = 'icon-button', children }: MenuProps): ReactNode {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const items = (): HTMLElement[] => [...list.current!.querySelectorAll<HTMLElement>('[role=menuitem]')];
  const onToggle = (event: ToggleEvent<HTMLDivElement>): void => setOpen(event.newState === 'open');
  // Its items are in the page only while it is open.
  useEffect(() => {
    if (!isOpen) return;
    place(list.current!, button.current!.getBoundingClientRect());
    list.current!.querySelector<HTMLElement>('[role=menuitem]')?.focus();
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent): void => {
    // Keys of the list below stay out of it.
    event.stopPropagation();
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) {
      if (event.key === 'Tab') list.current?.hidePopover();
      return;
    }
    event.preventDefault();
    all[(to + all.length) % all.length]?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        popoverTarget={id}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
        onClick={(event) => event.stopPropagation()}
      >
        {trigger}
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        className="menu"
        {...{ onToggle, onKeyDown }}
      >
        {isOpen && children}
      </div>
    </>
  );
}

/** Below the button, or above it where there is no room, and never outside of the window. */
function place(list: HTMLElement, { left, right, top, bottom }: DOMRect): void {
  const { offsetWidth: width, offsetHeight: height } = list;
  const x = left + width <= innerWidth - 8 ? left : Math.max(8, right - width);
  const y = bottom + height + 4 <= innerHeight - 8 ? bottom + 4 : Math.max(8, top - height - 4);
  list.style.left = `${x}px`;
  list.style.top = `${y}px`;
}

interface ItemProps {
  readonly children: ReactNode;
  readonly icon?: LucideIcon | undefined;
}

export interface MenuButtonProps extends ItemProps {
  readonly onChoose: () => void;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
}

export function MenuButton({ children, icon, onChoose, isDanger, isDisabled }: MenuButtonProps): ReactNode {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      className={isDanger ? 'menu-item is-danger' : 'menu-item'}
      disabled={isDisabled}
      onClick={(event) => {
        event.stopPropagation();
        event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover();
        onChoose();
      }}
    >
      <MenuText icon={icon}>{children}</MenuText>
    </button>
  );
}

export function MenuLink({ children, icon, href }: ItemProps & { readonly href: string }): ReactNode {
  return (
    <Link
      role="menuitem"
      tabIndex={-1}
      className="menu-item"
      href={href}
      onClick={(event) => event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()}
    >
      <MenuText icon={icon}>{children}</MenuText>
    </Link>
  );
}

function MenuText({ icon: Icon, children }: ItemProps): ReactNode {
  return (
    <>
      {Icon !== undefined && <Icon size={16} />}
      <span>{children}</span>
    </>
  );
}
