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

/** For a service that sends no mail: where to find it. A new tab, so that a form that waits for a code stays open. */
export const InboxHint = () =>
  development.showsMail ? (
    <DevelopmentOnly>
      <p>
        No mail is sent here.{' '}
        <a href="/inbox" target="_blank" rel="noopener">
          Open the inbox in a new tab
        </a>
      </p>
    </DevelopmentOnly>
  ) : null
