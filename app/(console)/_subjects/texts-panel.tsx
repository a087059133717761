// Texts of an API or client for sign-in pages and mails: one language at a time, grouped by page and mail, with a
// preview.
import { ownName } from '#app/_components/frame.tsx';
import { isLanguage } from '#lib/language/negotiate.ts';
import { messageText } from '#lib/language/words.ts';
import { enter } from '#lib/management/operations.ts';
import type { Action } from '#lib/management/policy.ts';
import type { BrandValues } from '#lib/registry/brand.ts';
import { type OwnTexts, TEXT_SLOT_NAMES, TEXT_SLOTS, type TextSlotName } from '#lib/registry/own-texts.ts';
import { LANGUAGES, type Language } from '#lib/settings/languages.ts';
import { BrandFrames } from '../_kit/brand-frames.tsx';
import { Form } from '../_kit/form.tsx';
import { OwnTextField } from '../_kit/own-text-field.tsx';
import { Panel, Tabs } from '../_kit/pieces.tsx';
import { withQuery } from '../_kit/with-query.ts';
import { currentWords, say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { SLOT_LABELS, SLOT_PLACES, slotField } from './brand-form.ts';
import type { PageOf } from './object-page.tsx';

const PAGES: readonly string[] = ['sign_in', 'registration'];

type Worded = { texts: OwnTexts | null; brand: BrandValues | null; version: number };

type TextsPageProps<Of> = Required<Pick<PageOf<Of>, 'tab'>> & {
  /** name of the form */
  form: string;
  right: Action;
  /** hidden fields with the id of the object */
  id: (object: Of) => { id: string } | { clientId: string };
};

/** The page with the texts of an API or client. */
export const textsPage = <Of extends Worded>({
  tab,
  form: name,
  right,
  id: idOf,
}: TextsPageProps<Of>): PageOf<Of> => ({
  label: toSay('Texts'),
  tab,
  render: async (of, { actor, form, typed: typedBack, query, here }) => {
    await enter(actor, { action: right });
    const [id, typed] = [idOf(of), typedBack(name)];
    const { in: asked } = query;
    const language = isLanguage(asked) ? asked : currentWords().language;
    const whose = 'id' in id ? { api: id.id } : { client: id.clientId };
    const typedIn = (slot: TextSlotName) =>
      typed.one(slotField(slot, language), of.texts?.[slot]?.[language] ?? '');
    const onPages = TEXT_SLOT_NAMES.filter((name) => PAGES.includes(TEXT_SLOTS[name].at));
    const places = [...new Set(TEXT_SLOT_NAMES.map((name): string => TEXT_SLOTS[name].at))];
    const group = (place: string) => (
      <fieldset key={place} className="group">
        <legend>{say(SLOT_PLACES[place] ?? place)}</legend>
        {TEXT_SLOT_NAMES.filter((name) => TEXT_SLOTS[name].at === place).map((slot) => (
          <Slot
            key={`${language} ${slot}`}
            slot={slot}
            language={language}
            value={typedIn(slot)}
            hasOwn={of.texts?.[slot]?.[language] !== undefined}
          />
        ))}
        {!PAGES.includes(place) && (
          <p>
            <a
              href={withQuery('/admin/mails', {
                mail: place === 'mails' ? 'registration-code' : place,
                in: language,
                ...whose,
              })}
            >
              {say('Preview the current mail')}
            </a>
          </p>
        )}
      </fieldset>
    );
    return (
      <Panel
        id="texts"
        heading={say('Texts')}
        lead={say(
          'Override the default texts: plain text, separately for each language. Leave a field empty to use the default.',
        )}
      >
        <Tabs
          label={say('Language')}
          here={withQuery(here, { in: language })}
          tabs={LANGUAGES.map((tag) => [withQuery(here, { in: tag }), ownName(tag)])}
        />
        <Form
          {...(await form(name))}
          label={say('Texts')}
          fields={{ ...id, version: of.version, in: language }}
          submit={say('Save texts')}
        >
          {places.filter((place) => PAGES.includes(place)).map(group)}
          <BrandFrames
            action="/admin/preview/sign-in"
            wearer={'id' in id ? 'api' : 'client'}
            shown={{
              ...whose,
              accent: of.brand?.accent ?? '',
              accent_dark: of.brand?.accent_dark ?? '',
              page: typed.one('preview.page', 'sign-in'),
              in: language,
              texts: 'typed',
              ...Object.fromEntries(onPages.map((slot) => [slot, typedIn(slot)])),
            }}
            follow={{
              page: 'preview.page',
              ...Object.fromEntries(onPages.map((slot) => [slot, slotField(slot, language)])),
            }}
            labels={{
              pages: [
                ['sign-in', say('Sign-in')],
                ['register', say('Registration')],
              ],
            }}
          />
          <noscript>
            <p>
              <button type="submit" name="preview" value="1" formNoValidate className="button plain small">
                {say('Preview')}
              </button>
            </p>
          </noscript>
          {places.filter((place) => !PAGES.includes(place)).map(group)}
        </Form>
      </Panel>
    );
  },
});

type SlotProps = { slot: TextSlotName; language: Language; value: string; hasOwn: boolean };

function Slot({ slot, language, value, hasOwn }: SlotProps) {
  const { replaces, longest, values } = TEXT_SLOTS[slot];
  const label = say(SLOT_LABELS[slot]);
  const name = slotField(slot, language);
  const held = values.map((placeholder) => `{${placeholder}}`).join(' ');
  return (
    <OwnTextField
      {...{ name, label, value, longest, language }}
      otherwise={replaces === null ? '' : messageText(language, replaces)}
      hint={held === '' ? undefined : say('Must contain {values}.', { values: held })}
    >
      {hasOwn && (
        <p>
          <button
            type="submit"
            name="back"
            value={name}
            formNoValidate
            className="button quiet small"
            aria-label={say('Reset to default text: {label}', { label })}
          >
            {say('Reset to default text')}
          </button>
        </p>
      )}
    </OwnTextField>
  );
}
