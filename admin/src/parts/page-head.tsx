import type { ComponentChildren } from 'preact'
import { Heading } from '../../../ui/states.tsx'
import { pathTo } from '../session.ts'

/** The title of a screen with its main actions, and the way back to the list that it belongs to. */
export const PageHead = ({
  title,
  kind,
  back,
  beside,
  children,
}: {
  title: string
  /** What the title names, for those who hear it: "Product". */
  kind?: string
  back?: { path: string; label: string }
  /** Beside the title, such as a status. */
  beside?: ComponentChildren
  children?: ComponentChildren
}) => (
  <>
    {back && (
      <p class="back">
        <a href={pathTo(back.path)}>‹ {back.label}</a>
      </p>
    )}
    <div class="page-head">
      <div class="row">
        <Heading title={title}>
          {kind && <span class="hidden">{kind} </span>}
          {title}
        </Heading>
        {beside}
      </div>
      {children && <div class="row page-actions">{children}</div>}
    </div>
  </>
)
