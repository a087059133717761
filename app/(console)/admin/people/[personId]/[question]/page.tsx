import { readPath } from '#app/_components/page-input.ts';
import { personQuestion } from '#app/(console)/_kit/access.ts';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { AskedInVain, ask } from '#app/(console)/_subjects/object-forms.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import type { PersonView } from '#lib/store/people.ts';
import { personPath } from '../../../forms.ts';
import { nameOf, type PersonPageProps, visitPerson } from '../../visit-person.tsx';

export const generateMetadata = pageTitle('A question about a person');

type Props = PersonPageProps & { params: Promise<{ personId: string; question: string }> };

export default async function PersonQuestionPage(props: Props) {
  const { question: step } = await readPath(props.params);
  return visitPerson(props, step, async ({ actor, form, typed, person }) => {
    const question = personQuestion(step);
    const leave = personPath(person.id);
    const why = inVain(step, person, actor.id);
    if (why !== null) return <AskedInVain why={why} leave={leave} />;
    const fields = { id: person.id, ...(question.role === null ? {} : { role: question.role }) };
    return ask({ actor, form, typed }, question.name, { fields, of: nameOf(person), leave });
  });
}

/**
 * The reason why the confirmation is not shown: a concurrent change, or the actor's own account. Null: it is shown.
 */
function inVain(step: string, person: PersonView, actorId: string): string | null {
  const { name, role } = personQuestion(step);
  const { passkeys, factors, recoveryCodes, trustedBrowsers } = person;
  if (name === 'person-disable' && person.disabled) return say('This person is already disabled.');
  if (name === 'person-grant' && role !== null && person.roles.includes(role))
    return say('This person already has the role.');
  if (name === 'person-revoke' && role !== null && !person.roles.includes(role))
    return say('This person does not have the role.');
  if (name !== 'person-reset-factors') return null;
  if (person.id === actorId) return say('These are your own factors. Change them on your account page.');
  const none = passkeys + recoveryCodes + trustedBrowsers === 0 && factors.length === 0;
  return none ? say('This person has no second factor.') : null;
}
