// Remote services that Gatehouse calls: connection tests with explanations.

import { Name } from '#app/_components/pieces.tsx';
import { Form } from '#app/(console)/_kit/form.tsx';
import { List, Row } from '#app/(console)/_kit/list.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Kind, Panel, Title } from '#app/(console)/_kit/pieces.tsx';
import { findResult, testInWords } from '#app/(console)/_kit/test-result.ts';
import { TestSteps } from '#app/(console)/_kit/test-steps.tsx';
import { consolePage, type Visit } from '#app/(console)/_kit/visit.tsx';
import { CONNECTIONS, testPath } from '#app/(console)/_subjects/registry-forms.ts';
import { Say, say } from '#app/(console)/_texts/say.tsx';
import { pageAuthMethods } from '#lib/catalogue/methods/operations.ts';
import { methodKind } from '#lib/catalogue/methods/questions.ts';
import { plainText } from '#lib/registry/display-text.ts';
import { settings } from '#lib/settings/settings.ts';

export const generateMetadata = pageTitle('Connections');

/** maximum number of rows in a list */
const MOST = 50;

export default consolePage({ path: CONNECTIONS, here: '/admin/service' }, async (visited) => {
  const { rows } = await pageAuthMethods(visited.actor, { limit: MOST });
  const methods = rows.filter(({ type }) => methodKind(type).probes !== undefined);
  return (
    <>
      <Title
        back={{ href: '/admin/service', label: say('Service') }}
        lead={say(
          'Test the connections of this service. Each test shows the request, the response and the necessary changes.',
        )}
      >
        {say('Connections')}
      </Title>
      <Panel
        id="mail"
        heading={say('Mail server')}
        lead={say('Connects, encrypts and logs in as for every mail, and sends a message to your address.')}
      >
        <Tested visited={visited} of="mail" name="mail-test" submit={say('Send test message')} />
      </Panel>
      <Panel
        id="webhook"
        heading={say('Audit webhook')}
        lead={say('Sends an event that is marked as a test, and signed like every event.')}
      >
        {settings().webhook === null ? (
          <p>
            <Say
              text="Not configured: {setting} is not set, and events are not sent."
              values={{
                setting: (
                  <a href="/documentation/guides/audit">
                    <code>AUDIT_WEBHOOK_URL</code>
                  </a>
                ),
              }}
            />
          </p>
        ) : (
          <Tested visited={visited} of="webhook" name="webhook-test" submit={say('Send test event')} />
        )}
      </Panel>
      <Panel id="methods" heading={say('Sign-in methods')}>
        {methods.length === 0 ? (
          <p>{say('No sign-in method uses another service.')}</p>
        ) : (
          <List label={say('Sign-in methods')}>
            {methods.map(({ id, name, type }) => (
              <Row
                key={id}
                title={<Name>{name}</Name>}
                pills={<Kind>{type}</Kind>}
                side={
                  <a className="button plain small" href={testPath(id)}>
                    {say('Test connection')}
                    <span className="unseen"> {plainText(name)}</span>
                  </a>
                }
              >
                <code>{id}</code>
              </Row>
            ))}
          </List>
        )}
      </Panel>
    </>
  );
});

type TestedProps = { visited: Visit; of: string; name: string; submit: string };

async function Tested({ visited, of, name, submit }: TestedProps) {
  const { actor, query, form } = visited;
  const result = await findResult(query['result'], `${CONNECTIONS}#${of}`, actor);
  return (
    <>
      {result && <TestSteps test={testInWords(say, result)} />}
      <Form {...(await form(name))} submit={submit} tone="plain" />
    </>
  );
}
