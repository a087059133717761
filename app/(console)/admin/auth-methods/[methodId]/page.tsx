import type { Metadata } from 'next';
import { CopyField } from '#app/_components/copy-field.tsx';
import { ClaimFacts } from '#app/(console)/_registry/claim-fields.tsx';
import { configFields } from '#app/(console)/_registry/methods.ts';
import { type MethodPageProps, visitMethod } from '#app/(console)/_registry/visit-method.tsx';
import { Fact, Facts, Panel } from '#app/(console)/_ui/pieces.tsx';
import { ownCallbackUris } from '#lib/management/index.ts';
import { methodCan, methodKind } from '#lib/registry/index.ts';

export const metadata: Metadata = { title: 'Sign-in method' };

export default function MethodPage(props: MethodPageProps) {
  return visitMethod(props, null, async ({ method }) => (
    <>
      <Panel id="settings" heading="How it works">
        <Facts>
          <Fact name="Id">
            <code>{method.id}</code>
          </Fact>
          {configFields(method.type)
            .filter(({ name, kind }) => kind !== 'checkbox' && method.config[name] !== undefined)
            .map(({ name, label }) => (
              <Fact key={name} name={label}>
                <code>{[method.config[name]].flat().join(' ')}</code>
              </Fact>
            ))}
          {methodKind(method.type).secret && (
            <Fact name="Secret">{method.hasSecret ? 'set, sealed' : 'none'}</Fact>
          )}
          {method.config['allow_private_network'] === true && (
            <Fact name="Network">private addresses and http may be called</Fact>
          )}
          <ClaimFacts config={method.config} />
          <Fact name="APIs">
            {method.apis.length === 0
              ? 'None uses it'
              : method.apis.map((id, at) => (
                  <span key={id}>
                    {at > 0 && ', '}
                    <a href={`/admin/apis/${encodeURIComponent(id)}`}>{id}</a>
                  </span>
                ))}
          </Fact>
          <Fact name="Signed in now">{method.sessions}</Fact>
        </Facts>
      </Panel>
      {methodCan(method, 'redirects') && (
        <Panel
          id="callback"
          heading="Register this there"
          lead={
            method.config['shared_callback'] === true
              ? 'The redirect address of this method alone. So far it sends people back to /auth/callback/broker, which all brokers may use: register this one too, then change it here.'
              : 'The redirect address of this method alone. Register it at the broker, and no other address of this service.'
          }
        >
          {ownCallbackUris(method.id).map((address) => (
            <CopyField key={address} label="redirect address" value={address} />
          ))}
        </Panel>
      )}
      <Panel id="ending" heading="Delete it" lead="With its issuers, and everything signed in through it.">
        <div className="form-actions">
          <a className="button danger" href={`/admin/auth-methods/${encodeURIComponent(method.id)}/delete`}>
            Delete it…
          </a>
        </div>
      </Panel>
    </>
  ));
}
