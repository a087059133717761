// Brand of an API or client: a light and a dark preview, and the form.
import { ownName } from '#app/_components/frame.tsx';
import { type BrandColours, type BrandValues, brandColours, MAX_LOGO_BYTES } from '#lib/registry/brand.ts';
import { type DisplayText, plainText } from '#lib/registry/display-text.ts';
import { LANGUAGES } from '#lib/settings/languages.ts';
import { BrandFrames } from '../_kit/brand-frames.tsx';
import { Check } from '../_kit/choices.tsx';
import { ColourField } from '../_kit/colour-field.tsx';
import { FileField } from '../_kit/fields.tsx';
import { Form } from '../_kit/form.tsx';
import { Panel } from '../_kit/pieces.tsx';
import { currentWords, say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { BRAND_LABELS } from './brand-form.ts';
import type { PageOf } from './object-page.tsx';

type Branded = { name: DisplayText; brand: BrandValues | null; version: number };

type BrandPageProps<Of> = Required<Pick<PageOf<Of>, 'tab'>> & {
  /** name of the form */
  form: string;
  /** hidden fields with the id of the object */
  id: (object: Of) => Record<string, string>;
  lead: string;
};

/** Parameters of the preview, by the field that contains their value. */
const FOLLOWED = {
  accent: 'brand.accent',
  accent_dark: 'brand.accent_dark',
  page: 'preview.page',
  in: 'preview.in',
};

const PICTURES = 'image/png,image/jpeg,image/webp,image/gif,image/svg+xml';

/** The page with the brand of an API or client. `lead`: English text above the form. */
export const brandPage = <Of extends Branded>({
  tab,
  form: name,
  id: idOf,
  lead,
}: BrandPageProps<Of>): PageOf<Of> => ({
  label: toSay('Brand'),
  tab,
  render: async (object, { area, form, typed: typedIn }) => {
    const [id, typed] = [idOf(object), typedIn(name)];
    const { brand, version } = object;
    const accent = typed.one('brand.accent', brand?.accent ?? '');
    const accentDark = typed.one('brand.accent_dark', brand?.accent_dark ?? '');
    return (
      <Panel id="brand" heading={say('Brand')} lead={say(lead)}>
        <BrandPreview name={object.name} brand={brand} />
        <Form
          {...(await form(name))}
          label={say('Brand')}
          takesFile={MAX_LOGO_BYTES}
          fields={{ ...id, version }}
          submit={say('Save brand')}
        >
          <FileField
            name="logo"
            label={say(BRAND_LABELS.logo.label)}
            hint={say(
              'PNG, JPEG, WebP, GIF or SVG, at most 512 KB and 2,000 pixels per side. Preferably square.',
            )}
            accept={PICTURES}
          />
          {brand?.logo && (
            <Check name="no_logo" label={say('Remove logo')} checked={typed.isTicked('no_logo')} />
          )}
          <ColourField
            name="brand.accent"
            label={say(BRAND_LABELS['brand.accent'].label)}
            hint={say(
              'Colour of buttons and links, as #rrggbb. It needs enough contrast. If the contrast is too low, a suitable colour is suggested.',
            )}
            value={accent}
            otherwise={OURS.light.accent}
          />
          <ColourField
            name="brand.accent_dark"
            label={say(BRAND_LABELS['brand.accent_dark'].label)}
            hint={say('If empty, the colour is derived from the accent colour.')}
            value={accentDark}
            otherwise={OURS.dark.accent}
          />
          <BrandFrames
            action={`/${area}/preview/sign-in`}
            wearer={'clientId' in id ? 'client' : 'api'}
            shown={{
              ...('clientId' in id ? { client: id['clientId'] ?? '' } : { api: id['id'] ?? '' }),
              accent,
              accent_dark: accentDark,
              page: typed.one('preview.page', 'sign-in'),
              in: typed.one('preview.in', currentWords().language),
              ...(typed.isTicked('no_logo') && { logo: 'none' }),
            }}
            follow={FOLLOWED}
            labels={{
              pages: [
                ['sign-in', say('Sign-in')],
                ['consent', say('Consent')],
              ],
              languages: LANGUAGES.map((tag) => [tag, ownName(tag)] as const),
            }}
          />
          <noscript>
            <p>
              <button type="submit" name="preview" value="1" formNoValidate className="button plain small">
                {say('Preview')}
              </button>
            </p>
          </noscript>
        </Form>
      </Panel>
    );
  },
});

const OURS: BrandColours = {
  light: { accent: '#1f5f4a', strong: '#174a3a', ink: '#ffffff' },
  dark: { accent: '#7cc7a8', strong: '#98d6bc', ink: '#0e1a15' },
};
const PAPER = {
  light: { paper: '#f7f5f0', card: '#fffdf9', line: '#e2ddd0', ink: '#1d1b16' },
  dark: { paper: '#141613', card: '#1b1e1a', line: '#2f332d', ink: '#efede6' },
};

/** The preview is drawn as a picture (SVG), because the page's content security policy forbids computed styles. */
export function BrandPreview({ name: displayText, brand }: { name: DisplayText; brand: BrandValues | null }) {
  const name = plainText(displayText);
  const { accent = null, accent_dark: accentDark = null, logo = null } = brand ?? {};
  const colours = accent === null ? OURS : brandColours({ accent, accentDark });
  return (
    <div className="brand-previews">
      {(['light', 'dark'] as const).map((theme) => (
        <Sketch key={theme} theme={theme} name={name} logo={logo} colours={colours} />
      ))}
    </div>
  );
}

type SketchProps = { theme: 'light' | 'dark'; name: string; logo: string | null; colours: BrandColours };

function Sketch({ theme, name, logo, colours }: SketchProps) {
  const { paper, card, line, ink } = PAPER[theme];
  const { accent, ink: written } = colours[theme];
  const letters = Array.from(name);
  const short = letters.length > 18 ? `${letters.slice(0, 17).join('')}…` : name;
  return (
    <svg
      viewBox="0 0 240 150"
      width="240"
      height="150"
      role="img"
      aria-label={
        theme === 'light'
          ? say('{name} in the light theme', { name })
          : say('{name} in the dark theme', { name })
      }
    >
      <rect width="240" height="150" fill={paper} />
      <rect x="16.5" y="14.5" width="207" height="121" rx="10" fill={card} stroke={line} />
      <rect x="30" y="27" width="32" height="32" rx="8" fill={logo ? '#ffffff' : accent} />
      {logo ? (
        <image href={logo} x="32" y="29" width="28" height="28" />
      ) : (
        <text x="46" y="48" fontSize="15" fontWeight="700" textAnchor="middle" fill={written}>
          {letters[0]}
        </text>
      )}
      <text x="72" y="48" fontSize="14" fontWeight="600" fill={ink}>
        {short}
      </text>
      <rect x="30" y="72" width="180" height="28" rx="7" fill={accent} />
      <text x="120" y="90.5" fontSize="12" fontWeight="600" textAnchor="middle" fill={written}>
        {say('Sign in')}
      </text>
      <text x="30" y="121" fontSize="11" fill={accent} textDecoration="underline">
        {say('Create an account')}
      </text>
    </svg>
  );
}
