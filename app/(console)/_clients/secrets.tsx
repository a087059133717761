import type { ClientDetail } from '#lib/management/registry/clients.ts';
import type { Area } from '../_forms/form.ts';
import { clientPath } from '../_objects/client-kinds.ts';
import { Say, say } from '../_texts/say.tsx';
import { Form } from '../_ui/form.tsx';
import { List, Row } from '../_ui/list.tsx';
import { Callout, Panel } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import { When } from '../_ui/when.tsx';
import { withQuery } from '../_ui/with-query.ts';
import type { FormStart } from '../_visit/start-form.ts';

type SecretsProps = { area: Area; client: ClientDetail; add: FormStart };

function SecretFacts({ of: { createdAt, lastUsedAt, expiresAt } }: { of: ClientDetail['secrets'][number] }) {
  const values = { made: <When at={createdAt} />, used: <When at={lastUsedAt} /> };
  if (expiresAt === null) return <Say text="Made {made}, last used {used}" values={values} />;
  return (
    <Say
      text="Made {made}, last used {used}, ends {ends}"
      values={{ ...values, ends: <When at={expiresAt} /> }}
    />
  );
}

/** Two may live side by side: the new one goes where it is needed, then the old one ends, and nothing stood still. */
export function Secrets({ area, client, add }: SecretsProps) {
  const { secrets, clientId } = client;
  const endOf = (secret: string) => withQuery(clientPath(area, clientId, 'end-secret'), { secret });
  return (
    <Panel
      id="secrets"
      heading={say('Secrets')}
      lead={say(
        'To rotate without an outage: add a second secret, put it where your application runs, wait until the old one is no longer used, then end the old one.',
      )}
    >
      {secrets.length === 0 && (
        <Callout tone="refused">
          <p>{say('Without a secret it cannot authenticate: it gets no token until you add one.')}</p>
        </Callout>
      )}
      {secrets.length > 0 && (
        <List label={say('Secrets')}>
          {secrets.map((secret, at) => (
            <Row
              key={secret.id}
              title={
                secrets.length === 2
                  ? at === 0
                    ? say('The older secret')
                    : say('The newer secret')
                  : say('The secret')
              }
              side={
                <a className="button danger" href={endOf(secret.id)}>
                  {say('End it…')}{' '}
                  <span className="unseen">
                    {at === 0 ? say('the older secret') : say('the newer secret')}
                  </span>
                </a>
              }
            >
              <SecretFacts of={secret} />
              {secrets.length === 1 && <>. {say('Ending it stops the application')}</>}
            </Row>
          ))}
        </List>
      )}
      {secrets.length < 2 && (
        <Form {...add}>
          <input type="hidden" name="clientId" value={clientId} />
          <div className="form-actions">
            <Submit tone="plain">
              {secrets.length === 0 ? say('Add a secret') : say('Add a second secret')}
            </Submit>
          </div>
        </Form>
      )}
    </Panel>
  );
}
