import type { ComponentChildren } from 'preact'

const Icon = ({ children }: { children: ComponentChildren }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    {children}
  </svg>
)

export const BagIcon = () => (
  <Icon>
    <path d="M5 8h14l1 12.5H4z M8.5 8V7a3.5 3.5 0 0 1 7 0v1" />
  </Icon>
)
export const HeartIcon = () => (
  <Icon>
    <path d="M12 20s-7.5-4.6-7.5-10.2A4.3 4.3 0 0 1 12 7.3a4.3 4.3 0 0 1 7.5 2.5C19.500 15.400 12 20 12 20z" />
  </Icon>
)
export const PersonIcon = () => (
  <Icon>
    <path d="M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8z M4.500 20.500c.8-4 3.800-6 7.500-6s6.700 2 7.500 6" />
  </Icon>
)
export const SearchIcon = () => (
  <Icon>
    <path d="M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13z M15.500 15.500 20.500 20.500" />
  </Icon>
)
export const MenuIcon = () => (
  <Icon>
    <path d="M4 7h16 M4 12h16 M4 17h16" />
  </Icon>
)
export const CloseIcon = () => (
  <Icon>
    <path d="M6 6l12 12 M18 6 6 18" />
  </Icon>
)
export const SunIcon = () => (
  <Icon>
    <path d="M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8z M12 2.500v2 M12 19.500v2 M2.500 12h2 M19.500 12h2 M5.300 5.300l1.400 1.400 M17.300 17.300l1.400 1.400 M5.300 18.700l1.400-1.400 M17.300 6.700l1.400-1.400" />
  </Icon>
)
export const MoonIcon = () => (
  <Icon>
    <path d="M19.500 14.200A8 8 0 0 1 9.800 4.500a8 8 0 1 0 9.700 9.700z" />
  </Icon>
)
export const CheckIcon = () => (
  <Icon>
    <path d="M5 12.500l4.500 4.500L19 7.500" />
  </Icon>
)
export const TruckIcon = () => (
  <Icon>
    <path d="M3 6.500h11v10H3z M14 10h4l3 3.500v3h-7z M7 19a1.800 1.800 0 1 0 0-3.600A1.800 1.800 0 0 0 7 19z M17 19a1.800 1.800 0 1 0 0-3.600A1.800 1.800 0 0 0 17 19z" />
  </Icon>
)
export const DownloadIcon = () => (
  <Icon>
    <path d="M12 4v11 M7.500 11 12 15.500 16.500 11 M5 20h14" />
  </Icon>
)
export const ChevronIcon = () => (
  <Icon>
    <path d="M6.500 9.500 12 15l5.500-5.500" />
  </Icon>
)
