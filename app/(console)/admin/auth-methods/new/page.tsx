import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { say } from '#app/(console)/_texts/say.tsx';
import { PRESET_NAMES, PRESETS } from '#lib/catalogue/methods/broker/presets.ts';
import { METHOD_KINDS } from '#lib/catalogue/methods/kinds.ts';
import { enter } from '#lib/management/operations.ts';
import { Form } from '../../../_kit/form.tsx';
import { MethodPicture, Panel, Title } from '../../../_kit/pieces.tsx';
import { consolePage } from '../../../_kit/visit.tsx';
import { PresetSteps, testFirst } from '../../../_subjects/methods.tsx';
import { MethodFields } from '../../../_subjects/object-fields.tsx';

export const generateMetadata = pageTitle('Add sign-in method');

/** The method for accounts stored by Gatehouse already exists. */
const USUAL = METHOD_KINDS.find(({ capabilities }) => !capabilities.hasAccounts) ?? METHOD_KINDS[0];
const TAKES_PRESETS = METHOD_KINDS.find(({ config }) => 'preset' in config.shape)?.type ?? USUAL.type;
const NOTHING = { name: '', config: {}, hasSecret: false };

const path = '/admin/auth-methods/new';

export default consolePage(path, async ({ actor, query, form, typed }) => {
  await enter(actor, { action: 'registry.manage' });
  const kind = METHOD_KINDS.find(({ type }) => type === query['type']) ?? USUAL;
  const { type, words } = kind;
  const name = PRESET_NAMES.find(
    (presetName) => presetName === query['preset'] && 'preset' in kind.config.shape,
  );
  const preset = name === undefined ? null : PRESETS[name];
  const fields = { type, ...(name !== undefined && { 'config.preset': name }) };
  const stored =
    name === undefined
      ? NOTHING
      : { ...NOTHING, id: name, name: PRESETS[name].label, config: { preset: name } };
  return (
    <>
      <Title back={{ href: '/admin/auth-methods', label: say('Sign-in methods') }}>
        {say('Add sign-in method')}
      </Title>
      <p className="switch">
        {METHOD_KINDS.map((methodKind) => (
          <a
            key={methodKind.type}
            href={`${path}?type=${methodKind.type}`}
            aria-current={methodKind === kind && !preset ? 'true' : undefined}
          >
            {say(methodKind.words.label)}
          </a>
        ))}
        {PRESET_NAMES.map((presetName) => (
          <a
            key={presetName}
            href={`${path}?${new URLSearchParams({ type: TAKES_PRESETS, preset: presetName })}`}
            aria-current={presetName === name ? 'true' : undefined}
          >
            <MethodPicture of={presetName} />
            {PRESETS[presetName].label}
          </a>
        ))}
      </p>
      {preset && name && (
        <Panel
          id="provider"
          heading={say('Register at the provider')}
          lead={say(
            'The redirect address ends with the id of the method. If you choose another id, change the address at the provider.',
          )}
        >
          <PresetSteps preset={preset} id={name} />
        </Panel>
      )}
      <Panel
        id="new"
        heading={preset ? preset.label : say(words.label)}
        lead={preset ? undefined : say(words.note)}
      >
        <Form
          {...(await form('method-create'))}
          fields={fields}
          submit={say('Add method')}
          also={testFirst(type)}
          leave={{ href: '/admin/auth-methods', label: say('Cancel') }}
        >
          <MethodFields type={type} typed={typed('method-create')} stored={stored} isNew />
        </Form>
      </Panel>
    </>
  );
});
