// A line of a list of facts (dl.facts): what it is, and its value.
import type { ComponentChildren } from 'preact'

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
