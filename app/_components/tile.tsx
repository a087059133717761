/** A client's logo, or its first letter in a colour computed from its id. */
type TileProps = { id: string; name: string; logoUri?: string | null; of: 'client' | 'api' };

const COLOURS = 5;

export function Tile({ id, name, logoUri, of }: TileProps) {
  if (logoUri) {
    return (
      <span className="tile tile-logo">
        {/* biome-ignore lint/performance/noImgElement: somebody else's picture, which we neither fetch nor resize */}
        <img src={logoUri} alt="" width="44" height="44" referrerPolicy="no-referrer" />
      </span>
    );
  }
  const colour = of === 'api' ? 'tile-api' : `tile-${sum(id) % COLOURS}`;
  return (
    <span className={`tile ${colour}`} aria-hidden="true">
      {firstLetter(name)}
    </span>
  );
}

function sum(text: string): number {
  return Array.from(text).reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
}

function firstLetter(name: string): string {
  return (/[\p{Letter}\p{Number}]/u.exec(name)?.[0] ?? '·').toUpperCase();
}
