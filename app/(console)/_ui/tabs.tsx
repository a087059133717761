/** Links to the pages about one client. */
export function Tabs({
  label,
  tabs,
  here,
}: {
  label: string;
  tabs: readonly [href: string, text: string][];
  here: string;
}) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(([href, text]) => (
        <a key={href} href={href} aria-current={href === here ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}
