import type { ComponentChildren } from 'preact'
import { development } from '../shop.ts'

/** A frame around controls that a real shop would not have. */
export const DevelopmentOnly = ({ children }: { children: ComponentChildren }) =>
  development.isOn ? (
    <aside class="development" aria-label="Development only">
      <p class="development-label">Development only</p>
      {children}
    </aside>
  ) : null
