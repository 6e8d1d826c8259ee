import { DownloadIcon } from '../../../ui/icons.tsx'
import { store } from '../session.ts'

/** Downloads a list as CSV, with the same filters. `path` is of the API, such as `orders`. */
export const CsvLink = ({ path, filter = {} }: { path: string; filter?: Record<string, unknown> }) => {
  const query = new URLSearchParams({ format: 'csv' })
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, String(value))
  return (
    <a
      class="button quiet small"
      href={`/admin/v1/stores/${store.value?.id}/${path}?${query}`}
      download={`${path.replaceAll('/', '-')}.csv`}
    >
      <DownloadIcon /> CSV
    </a>
  )
}
