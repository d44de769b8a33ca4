// Short news at the foot of the screen, read out politely.
import { signal } from '@preact/signals'

interface Toast {
  id: number
  words: string
  bad: boolean
}

const toasts = signal<Toast[]>([])
let count = 0

export function say(words: string, bad = false) {
  const id = count++
  toasts.value = [...toasts.value.slice(-3), { id, words, bad }]
  setTimeout(() => (toasts.value = toasts.value.filter(toast => toast.id !== id)), bad ? 8000 : 3500)
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(toast => (
        <div class={toast.bad ? 'toast bad' : 'toast'} key={toast.id}>
          {toast.words}
        </div>
      ))}
    </div>
  )
}
