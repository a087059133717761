// What the doctor says, in English as on the command line. Guides of the documentation that it names are links.

const GUIDE = /\bdocs\/((?:decisions\/)?[\w-]+)\.md(#[\w-]+)?/;

export function Finding({ children }: { children: string }) {
  const [, name, fragment = ''] = GUIDE.exec(children) ?? [];
  if (name === undefined) return <span lang="en">{children}</span>;
  const [before = '', after = ''] = children.split(`docs/${name}.md${fragment}`);
  const guide = name.replace(/^decisions\//, 'decisions-');
  return (
    <span lang="en">
      {before}
      <a href={`/documentation/guides/${guide}${fragment}`}>{name}</a>
      {after}
    </span>
  );
}
