// How large an element is, and the reference that watches it.
import { useMemo, useRef, useState } from 'preact/hooks'

export interface Size {
  width: number
  height: number
}

export function useSize(): [Size, (box: HTMLElement | null) => void] {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  const observer = useRef<ResizeObserver>()
  const watch = useMemo(
    () => (box: HTMLElement | null) => {
      observer.current?.disconnect()
      if (!box) return
      observer.current = new ResizeObserver(() => setSize({ width: box.clientWidth, height: box.clientHeight }))
      observer.current.observe(box)
    },
    [],
  )
  return [size, watch]
}
