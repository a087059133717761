import { Form } from '#app/(console)/_kit/form.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Panel } from '#app/(console)/_kit/pieces.tsx';
import { findResult, testInWords } from '#app/(console)/_kit/test-result.ts';
import { TestSteps } from '#app/(console)/_kit/test-steps.tsx';
import { triesPeople } from '#app/(console)/_subjects/methods.tsx';
import { TriedFields } from '#app/(console)/_subjects/object-fields.tsx';
import { pageAboutMethod } from '#app/(console)/_subjects/object-pages.tsx';
import { testPath } from '#app/(console)/_subjects/registry-forms.ts';
import { say } from '#app/(console)/_texts/say.tsx';
import { methodCan } from '#lib/registry/methods/questions.ts';

export const generateMetadata = pageTitle('Test sign-in method');

export default pageAboutMethod('test', async ({ actor, query, method, form }) => {
  const result = await findResult(query['result'], `${testPath(method.id)}#result`, actor);
  const tries = triesPeople(method.type);
  const lead = tries
    ? say(
        'The test contacts each server in turn. If you enter a name, it looks up that person without signing them in.',
      )
    : methodCan(method, 'redirects')
      ? say(
          'The test reads the provider’s metadata, and checks whether the provider knows our client id, redirect address and secret. No one is signed in.',
        )
      : say('The test asks about an invented account, which must be rejected. No one is signed in.');
  return (
    <Panel id="result" heading={say('Test connection')} lead={lead}>
      {result && <TestSteps test={testInWords(say, result)} />}
      <Form
        {...(await form('method-test'))}
        fields={{ id: method.id }}
        submit={result ? say('Test again') : say('Test now')}
      >
        {tries && <TriedFields name="" />}
      </Form>
    </Panel>
  );
});
