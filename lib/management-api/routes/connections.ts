// Tests of the services that this one calls: for administrators. Each answers what it found, also where that is broken.
import { englishOfSentence } from '#lib/kit/index.ts';
import { type ConnectionTest, testMail } from '#lib/management/index.ts';
import { one, type Route, routesFor } from '../route.ts';

const test = routesFor('registry.manage');
const answers = one('ConnectionTest');

const inEnglish = ({ steps, ...test }: ConnectionTest) => ({
  ...test,
  steps: steps.map(({ check, found, change, ...step }) => ({
    ...step,
    check: englishOfSentence(check),
    found: englishOfSentence(found),
    change: change && englishOfSentence(change),
  })),
});

export const connectionRoutes: Route[] = [
  test(
    'POST /service/mail/test',
    'Test the mail server, with a message to yourself',
    async (actor) => inEnglish(await testMail(actor)),
    { answers },
  ),
];
