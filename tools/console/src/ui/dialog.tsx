// A dialog of the browser: it keeps the focus inside, and Escape closes it.
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from './icon'

export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Not after the next frame: what is typed before it would go nowhere.
  useLayoutEffect(() => {
    box.current?.showModal()
  }, [])
  return (
    <dialog ref={box} aria-labelledby={id} onClose={props.onClose}>
      <header>
        <h2 id={id}>{props.title}</h2>
        <button class="quiet" type="button" aria-label="Close" onClick={() => box.current?.close()}>
          <Icon name="close" />
        </button>
      </header>
      {props.children}
    </dialog>
  )
}
