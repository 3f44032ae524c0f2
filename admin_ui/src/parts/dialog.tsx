// What is asked or shown over the page. The browser's own dialog keeps the focus inside and closes on Escape.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

type SheetProps = { title: string; onClose: () => void; children: ComponentChildren };
type ModalProps = SheetProps & { kind: "ask" | "drawer" };

function Modal({ title, kind, onClose, children }: ModalProps) {
  const box = useRef<HTMLDialogElement>(null);
  const name = useId();
  useEffect(() => {
    const before = document.activeElement;
    const dialog = box.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={box}
      class={kind}
      aria-labelledby={name}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      <div class="sheet">
        <header>
          <h2 id={name}>{title}</h2>
          <button type="button" class="plain" aria-label="Close" onClick={onClose}>
            ✕
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

type ConfirmProps = {
  title: string;
  action: string;
  onYes: () => void;
  onNo: () => void;
  danger?: boolean | undefined;
  children?: ComponentChildren;
};

/** Asks before something is done; the way back is what has the focus. */
export function Confirm({ title, action, onYes, onNo, danger, children }: ConfirmProps) {
  return (
    <Modal title={title} kind="ask" onClose={onNo}>
      <div class="body">{children}</div>
      <p class="actions">
        <button type="button" autoFocus onClick={onNo}>
          Cancel
        </button>
        <button type="button" class={danger ? "danger" : "main"} onClick={onYes}>
          {action}
        </button>
      </p>
    </Modal>
  );
}

/** Shows something beside the page that is looked at and closed again. */
export function Drawer({ title, onClose, children }: SheetProps) {
  return (
    <Modal title={title} kind="drawer" onClose={onClose}>
      <div class="body">{children}</div>
    </Modal>
  );
}

/** A small window with its own controls. */
export function Dialog({ title, onClose, children }: SheetProps) {
  return (
    <Modal title={title} kind="ask" onClose={onClose}>
      <div class="body">{children}</div>
    </Modal>
  );
}
