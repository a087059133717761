import { findResult } from '#app/(console)/_forms/test-result.ts';
import { TriedFields } from '#app/(console)/_registry/method-fields.tsx';
import { triesPeople } from '#app/(console)/_registry/methods.ts';
import { testPath } from '#app/(console)/_registry/test-forms.ts';
import { type MethodPageProps, visitMethod } from '#app/(console)/_registry/visit-method.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { Form } from '#app/(console)/_ui/form.tsx';
import { Panel } from '#app/(console)/_ui/pieces.tsx';
import { testInWords } from '#app/(console)/_ui/test-in-words.ts';
import { TestSteps } from '#app/(console)/_ui/test-steps.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';
import { methodCan } from '#lib/registry/methods/questions.ts';

export const generateMetadata = titled('Test a sign-in method');

export default function MethodTestPage(props: MethodPageProps) {
  return visitMethod(props, 'test', async ({ actor, query, method, form }) => {
    const result = await findResult(query['result'], `${testPath(method.id)}#result`, actor);
    const tries = triesPeople(method.type);
    const lead = tries
      ? say('It asks each server in turn. With a name it looks for a person, who is not signed in.')
      : methodCan(method, 'redirects')
        ? say(
            'It reads what the provider says of itself, and asks whether it knows our client id, redirect address and secret. No one signs in.',
          )
        : say(
            'It asks about an account that was invented for the test, which has to be refused. No one signs in.',
          );
    return (
      <Panel id="result" heading={say('Test the connection')} lead={lead}>
        {result && <TestSteps test={testInWords(say, result)} />}
        <Form
          {...(await form('method-test'))}
          fields={{ id: method.id }}
          submit={result ? say('Test it again') : say('Test it now')}
        >
          {tries && <TriedFields name="" />}
        </Form>
      </Panel>
    );
  });
}
