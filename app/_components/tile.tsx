import { logoAddress } from '#lib/oauth/client-documents/logo.ts';
import { type DisplayText, plainText } from '#lib/registry/fields/display-text.ts';

/** The logo of a client or an API, or its first letter; a client's in a colour computed from its id. */
type TileProps = { id: string; name: DisplayText; logoUri?: string | null; of: 'client' | 'api' };

const COLOURS = 5;

export function Tile({ id, name: named, logoUri = null, of }: TileProps) {
  const name = plainText(named);
  // what is ours already is shown as it is
  const ours = of === 'api' || logoUri?.startsWith('/');
  const address = ours ? logoUri : logoAddress({ clientId: id, logoUri });
  if (address) {
    // 44 pixels: the small one has 64, the large one 192
    const srcSet = ours ? `${address}-small 1x, ${address} 2x` : undefined;
    return (
      <span className="tile tile-logo" data-letter={firstLetter(name)}>
        {/* biome-ignore lint/performance/noImgElement: it is served in its sizes already */}
        <img src={address} srcSet={srcSet} alt={name} width="44" height="44" referrerPolicy="no-referrer" />
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
