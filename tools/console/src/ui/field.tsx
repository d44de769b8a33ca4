// A labelled input. What the server refused of it is told beside it, by the JSON Pointer of the answer.
import { useEffect, useId, useRef } from 'preact/hooks'
import { faultsOf } from '../api/http'

interface FieldProps {
  label: string
  value: string
  onInput: (value: string) => void
  type?: string
  note?: string
  required?: boolean
  autocomplete?: string
  placeholder?: string
  pointer?: string // of the member, at the end of the answer's pointers
  failure?: Error | null | undefined
  first?: boolean // takes the focus when it appears
}

// What was refused of the member, or ''.
export function faultAt(failure: Error | null | undefined, pointer: string | undefined) {
  return (pointer && faultsOf(failure).find(fault => fault.pointer.endsWith(pointer))?.detail) || ''
}

export function Field(props: FieldProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const fault = faultAt(props.failure, props.pointer)
  useEffect(() => {
    if (fault || props.first) input.current?.focus()
  }, [fault])
  return (
    <div class={fault ? 'field wrong' : 'field'}>
      <label for={id}>{props.label}</label>
      <input
        id={id}
        ref={input}
        type={props.type ?? 'text'}
        value={props.value}
        required={props.required}
        autocomplete={props.autocomplete ?? 'off'}
        placeholder={props.placeholder}
        aria-invalid={fault ? true : undefined}
        aria-describedby={fault || props.note ? id + '-note' : undefined}
        onInput={event => props.onInput(event.currentTarget.value)}
      />
      {(fault || props.note) && (
        <p class="note" id={id + '-note'}>
          {fault || props.note}
        </p>
      )}
    </div>
  )
}
