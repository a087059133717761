'use client';

// Previews of sign-in pages with the brand or texts of the form: light and dark, desktop and phone. With JavaScript
// the previews follow the input. Without JavaScript a button reloads the page.
import { type SyntheticEvent, useEffect, useRef, useState } from 'react';
import { useSay } from '../_texts/in-browser.tsx';
import { withQuery } from './with-query.ts';

type Shown = Readonly<Record<string, string>>;
type BrandFramesProps = {
  /** the address of the preview */
  action: string;
  /** the object whose uploaded logo the preview shows */
  wearer: 'client' | 'api';
  /** the address parameters that match the form's initial values */
  shown: Shown;
  /** for each form field, the address parameter of the preview that contains its value */
  follow: Readonly<Record<string, string>>;
  /** labels of the choices */
  labels: {
    pages: readonly (readonly [string, string])[];
    languages?: readonly (readonly [string, string])[];
  };
};

const PAUSE_MS = 250;
const THEMES = ['light', 'dark'] as const;
const SIZES = ['desktop', 'phone'] as const;

export function BrandFrames({ action, wearer, shown, follow: followed, labels }: BrandFramesProps) {
  const say = useSay();
  const box = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState(shown);
  const [follows] = useState(followed);
  const [logo, setLogo] = useState<string | null>(null);
  const [mended, setMended] = useState<Readonly<Record<string, string | null>>>({});

  useEffect(() => {
    const form = box.current?.closest('form');
    if (!form) return;
    let pause = 0;
    const follow = () => {
      window.clearTimeout(pause);
      pause = window.setTimeout(() => setChosen((before) => readBrand(form, follows, before)), PAUSE_MS);
    };
    const read = ({ target }: Event) => {
      if (!(target instanceof HTMLInputElement) || target.type !== 'file') return follow();
      const [file] = target.files ?? [];
      if (!file) return setLogo(null);
      const reader = new FileReader();
      reader.onload = () => setLogo(String(reader.result));
      reader.readAsDataURL(file);
    };
    form.addEventListener('input', read);
    // the first preview includes input that was typed before the script ran
    follow();
    return () => {
      window.clearTimeout(pause);
      form.removeEventListener('input', read);
    };
  }, [follows]);

  function applyBrand(theme: (typeof THEMES)[number], { currentTarget }: SyntheticEvent<HTMLIFrameElement>) {
    const inside = currentTarget.contentDocument;
    if (!inside) return;
    if (logo !== null) showLogo(inside, wearer, logo);
    const colour = inside.querySelector<HTMLMetaElement>('meta[name="shown-with"]')?.content ?? null;
    setMended((before) => (before[theme] === colour ? before : { ...before, [theme]: colour }));
  }

  const names = { light: say('Light theme'), dark: say('Dark theme') };
  const sizes = { desktop: say('Desktop'), phone: say('Phone') };
  return (
    <div ref={box} className="frames">
      <div className="frames-choice">
        <Pick name="preview.page" label={say('Page')} value={shown['page']} options={labels.pages} />
        {labels.languages && (
          <Pick name="preview.in" label={say('Language')} value={shown['in']} options={labels.languages} />
        )}
      </div>
      {THEMES.map((theme) => {
        const src = withQuery(action, { ...chosen, theme });
        return (
          <figure key={theme} className={`frames-theme ${theme}`}>
            <figcaption>
              <a href={src} target="_blank" rel="noreferrer">
                {names[theme]}
              </a>
            </figcaption>
            {SIZES.map((size) => (
              <div key={size} className={`frame ${size}`}>
                {/* a new address creates a new iframe element, so that the browser history gets no entry */}
                <iframe
                  key={`${src} ${logo?.length ?? 0}`}
                  title={`${names[theme]}, ${sizes[size]}`}
                  src={src}
                  tabIndex={-1}
                  onLoad={(event) => applyBrand(theme, event)}
                />
              </div>
            ))}
            <p role="status" className="hint">
              {mended[theme] &&
                say('The contrast is too low. {colour} is shown instead.', { colour: mended[theme] })}
            </p>
          </figure>
        );
      })}
    </div>
  );
}

type PickProps = {
  name: string;
  label: string;
  value: string | undefined;
  options: readonly (readonly [string, string])[];
};

function Pick({ name, label, value, options }: PickProps) {
  return (
    <label className="entry">
      <span>{label}</span>
      <select name={name} defaultValue={value}>
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Returns the same object if nothing changed, to avoid reloading. */
function readBrand(form: HTMLFormElement, follows: BrandFramesProps['follow'], before: Shown): Shown {
  const data = new FormData(form);
  const { logo: _, ...kept } = before;
  const typed = Object.entries(follows).map(([name, field]) => [name, String(data.get(field) ?? '').trim()]);
  const now: Shown = {
    ...kept,
    ...Object.fromEntries(typed),
    ...(data.has('no_logo') && { logo: 'none' }),
  };
  const keys = new Set([...Object.keys(now), ...Object.keys(before)]);
  return [...keys].every((key) => now[key] === before[key]) ? before : now;
}

/** Shows a selected file before its upload. */
function showLogo(inside: Document, wearer: 'client' | 'api', address: string) {
  const tiles = [...inside.querySelectorAll<HTMLElement>('.asker .tile, .pair .tile')];
  const tile = wearer === 'client' ? tiles[0] : tiles[1];
  if (!tile) return;
  const image = inside.createElement('img');
  Object.assign(image, { src: address, width: 44, height: 44, alt: '' });
  tile.className = 'tile tile-logo';
  tile.replaceChildren(image);
}
