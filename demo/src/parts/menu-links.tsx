import { route } from '../../../ui/router.ts'

/** An entry of the store's menu, which has up to three levels. */
export type MenuItem = { id: string; label: string; type: string; target: string; children?: MenuItem[] }

const addressOf = ({ type, target }: MenuItem) => {
  if (type === 'link') return target
  return `/${type === 'product' || type === 'category' ? type : 'page'}/${target}`
}

export const MenuLink = ({ item }: { item: MenuItem }) => {
  const { path } = route.value
  const address = addressOf(item)
  return (
    <a href={address} aria-current={path === address ? 'page' : undefined}>
      {item.label}
    </a>
  )
}

export const MenuList = ({ items = [] }: { items?: MenuItem[] | undefined }) =>
  items.length > 0 ? (
    <ul>
      {items.map((item) => (
        <li key={item.id}>
          <MenuLink item={item} />
          <MenuList items={item.children} />
        </li>
      ))}
    </ul>
  ) : null
