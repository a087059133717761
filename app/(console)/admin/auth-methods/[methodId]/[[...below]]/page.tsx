// Pages about a sign-in method: its configuration, the address to register at a provider, and its connection test.
import type { ReactNode } from 'react';
import { CopyField } from '#app/_components/pieces.tsx';
import { path } from '#app/(console)/_kit/console-form.ts';
import { Form } from '#app/(console)/_kit/form.tsx';
import { untitled } from '#app/(console)/_kit/page-language.ts';
import { Fact, Facts, Kind, Panel } from '#app/(console)/_kit/pieces.tsx';
import { readForm } from '#app/(console)/_kit/posted.ts';
import { findResult, testInWords } from '#app/(console)/_kit/test-result.ts';
import { TestSteps } from '#app/(console)/_kit/test-steps.tsx';
import {
  ClaimFacts,
  configOf,
  everyField,
  PresetSteps,
  testFirst,
  triesPeople,
} from '#app/(console)/_subjects/methods.tsx';
import { DefinedFacts, Ids } from '#app/(console)/_subjects/object-facts.tsx';
import { MethodFields, TriedFields } from '#app/(console)/_subjects/object-fields.tsx';
import { DeletePanel, renderEdit } from '#app/(console)/_subjects/object-forms.tsx';
import { type ObjectVisit, objectPages, questionPage } from '#app/(console)/_subjects/object-page.tsx';
import { testPath } from '#app/(console)/_subjects/registry-forms.ts';
import { copyWords, say } from '#app/(console)/_texts/say.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { ownCallbackUris } from '#lib/auth-methods/callback.ts';
import { presetOf } from '#lib/catalogue/methods/broker/presets.ts';
import type { AuthMethodView } from '#lib/catalogue/methods/definition.ts';
import { authMethod } from '#lib/catalogue/methods/definition.ts';
import { previewAuthMethodChange, readAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { asksElsewhere, methodCan, methodKind } from '#lib/catalogue/methods/questions.ts';
import { enter } from '#lib/management/operations.ts';
import { formFields } from '#lib/registry/definition.ts';

export const metadata = untitled;

const methodPath = (id: string, ...below: string[]) => path('admin', 'auth-methods', id, ...below);

export default objectPages<AuthMethodView>({
  area: 'admin',
  param: 'methodId',
  kind: toSay('Sign-in method'),
  here: '/admin/auth-methods',
  list: () => ({ href: '/admin/auth-methods', label: say('Sign-in methods') }),
  path: methodPath,
  read: (actor, id) => readAuthMethod(actor, { id }),
  head: ({ name, type, managed }) => ({
    name,
    lead: say(methodKind(type).words.note),
    pills: <Kind>{type}</Kind>,
    managed,
  }),
  pages: {
    '': { label: toSay('Overview'), tab: true, render: (method) => <Overview method={method} /> },
    edit: { label: toSay('Settings'), tab: true, anchors: ['ending'], render: renderSettings },
    test: { label: toSay('Test connection'), tab: ({ type }) => asksElsewhere(type), render: renderTest },
    delete: questionPage('method-delete', async ({ id, name, version }, { actor }) => {
      await enter(actor, { action: 'registry.manage' });
      return { fields: { id, version }, of: name, leave: methodPath(id, 'edit') };
    }),
  },
});

function Overview({ method }: { method: AuthMethodView }) {
  const { id, type, config } = method;
  const { secret, unsaid } = methodKind(type);
  const preset = presetOf(config);
  return (
    <>
      <Panel id="settings" heading={say('How it works')}>
        <Facts>
          <DefinedFacts fields={formFields(authMethod)} of={method} defaults={{}} />
          {preset && <Fact name={say('Provider')}>{preset.label}</Fact>}
          <DefinedFacts fields={everyField(type)} of={config} defaults={{ ...unsaid }} />
          {secret && (
            <Fact name={say('Secret')}>{method.hasSecret ? say('set, encrypted') : say('none')}</Fact>
          )}
          <ClaimFacts config={config} />
          <Fact name={say('APIs')}>
            {method.apis.length === 0 ? (
              say('Not used by any API')
            ) : (
              <Ids of={method.apis} at="/admin/apis" />
            )}
          </Fact>
          <Fact name={say('Currently signed in')}>{method.sessions}</Fact>
        </Facts>
      </Panel>
      {methodCan(method, 'redirects') && (
        <Panel
          id="callback"
          heading={say('Register at the provider')}
          lead={
            config['shared_callback'] === true
              ? say(
                  'The redirect address of this method only. The method currently sends people back to /auth/callback/broker, which all brokers can use. Register this address as well, then change the setting of the method.',
                )
              : say(
                  'The redirect address of this method only. Register this address at the broker, and no other address of this service.',
                )
          }
        >
          {preset ? (
            <PresetSteps preset={preset} id={id} />
          ) : (
            ownCallbackUris(id).map((address) => (
              <CopyField
                key={address}
                label={say('redirect address')}
                value={address}
                said={copyWords(say('redirect address'))}
              />
            ))
          )}
        </Panel>
      )}
    </>
  );
}

async function renderSettings(method: AuthMethodView, visit: ObjectVisit): Promise<ReactNode> {
  const { actor } = visit;
  await enter(actor, { action: 'registry.manage' });
  const { id, type, version } = method;
  return (
    <>
      {
        await renderEdit(visit, 'method-change', {
          fields: { id, version },
          leave: methodPath(id),
          preview: ({ typed }) => {
            const config = configOf(type, typed, method.config);
            return previewAuthMethodChange(actor, { ...readForm(authMethod, typed), id, config });
          },
          also: testFirst(type),
          children: (typed) => <MethodFields type={type} typed={typed} stored={method} isNew={false} />,
        })
      }
      <DeletePanel
        lead={say('The method’s issuers and all sign-ins with it are deleted as well.')}
        href={methodPath(id, 'delete')}
        label={say('Delete method…')}
      />
    </>
  );
}

async function renderTest(
  { id, type }: AuthMethodView,
  { actor, query, form }: ObjectVisit,
): Promise<ReactNode> {
  const result = await findResult(query['result'], `${testPath(id)}#result`, actor);
  const tries = triesPeople(type);
  const lead = tries
    ? say(
        'The test contacts each server in turn. If you enter a name, it looks up that person without signing them in.',
      )
    : methodCan({ type }, 'redirects')
      ? say(
          'The test reads the provider’s metadata, and checks whether the provider knows our client id, redirect address and secret. No one is signed in.',
        )
      : say('The test asks about an invented account, which must be rejected. No one is signed in.');
  return (
    <Panel id="result" heading={say('Test connection')} lead={lead}>
      {result && <TestSteps test={testInWords(say, result)} />}
      <Form
        {...(await form('method-test'))}
        fields={{ id }}
        submit={result ? say('Test again') : say('Test now')}
      >
        {tries && <TriedFields name="" />}
      </Form>
    </Panel>
  );
}
