import { CopyField } from '#app/_components/pieces.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Fact, Facts, Panel } from '#app/(console)/_kit/pieces.tsx';
import { ClaimFacts, everyField, PresetSteps } from '#app/(console)/_subjects/methods.tsx';
import { pageAboutMethod } from '#app/(console)/_subjects/object-pages.tsx';
import { testPath } from '#app/(console)/_subjects/registry-forms.ts';
import { copyWords, say } from '#app/(console)/_texts/say.tsx';
import { ownCallbackUris } from '#lib/auth-methods/callback.ts';
import { presetOf } from '#lib/registry/methods/broker/presets.ts';
import { asksElsewhere, methodCan, methodKind } from '#lib/registry/methods/questions.ts';

export const generateMetadata = pageTitle('Sign-in method');

const formatValue = (value: unknown): string =>
  typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : [value].flat().join(' ');

export default pageAboutMethod(null, async ({ method }) => {
  const preset = presetOf(method.config);
  return (
    <>
      <Panel id="settings" heading={say('How it works')}>
        <Facts>
          <Fact name={say('Id')}>
            <code>{method.id}</code>
          </Fact>
          {preset && <Fact name={say('Provider')}>{preset.label}</Fact>}
          {everyField(method.type)
            .filter(({ name, kind }) => kind !== 'checkbox' && method.config[name] !== undefined)
            .map(({ name, label }) => (
              <Fact key={name} name={say(label)}>
                <code>{formatValue(method.config[name])}</code>
              </Fact>
            ))}
          {methodKind(method.type).secret && (
            <Fact name={say('Secret')}>{method.hasSecret ? say('set, encrypted') : say('none')}</Fact>
          )}
          {method.config['allow_private_network'] === true && (
            <Fact name={say('Network')}>{say('private addresses and http are allowed')}</Fact>
          )}
          <ClaimFacts config={method.config} />
          <Fact name={say('APIs')}>
            {method.apis.length === 0
              ? say('Not used by any API')
              : method.apis.map((id, at) => (
                  <span key={id}>
                    {at > 0 && ', '}
                    <a href={`/admin/apis/${encodeURIComponent(id)}`}>{id}</a>
                  </span>
                ))}
          </Fact>
          <Fact name={say('Currently signed in')}>{method.sessions}</Fact>
        </Facts>
      </Panel>
      {methodCan(method, 'redirects') && (
        <Panel
          id="callback"
          heading={say('Register at the provider')}
          lead={
            method.config['shared_callback'] === true
              ? say(
                  'The redirect address of this method only. The method currently sends people back to /auth/callback/broker, which all brokers can use. Register this address as well, then change the setting of the method.',
                )
              : say(
                  'The redirect address of this method only. Register this address at the broker, and no other address of this service.',
                )
          }
        >
          {preset ? (
            <PresetSteps preset={preset} id={method.id} />
          ) : (
            ownCallbackUris(method.id).map((address) => (
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
      {asksElsewhere(method.type) && (
        <Panel
          id="test"
          heading={say('Test connection')}
          lead={say('Each step shows the request, the response and the necessary changes.')}
        >
          <div className="form-actions">
            <a className="button plain" href={testPath(method.id)}>
              {say('Test')}
            </a>
          </div>
        </Panel>
      )}
      <Panel
        id="ending"
        heading={say('Delete')}
        lead={say('The method’s issuers and all sign-ins with it are deleted as well.')}
      >
        <div className="form-actions">
          <a className="button danger" href={`/admin/auth-methods/${encodeURIComponent(method.id)}/delete`}>
            {say('Delete…')}
          </a>
        </div>
      </Panel>
    </>
  );
});
