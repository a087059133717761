// The doctor on e-mail addresses: people whose addresses are one, which no migration may merge.
import { emailForms } from '#lib/store/index.ts';

type EmailCollision = Awaited<ReturnType<typeof emailForms.collisions>>[number];

/** For the operator: who they are, and what to do. */
export function collisionSentence({ canonical, people }: EmailCollision): string {
  const who = people.map(({ id, email }) => `${email} (${id})`).join(' and ');
  if (people.length === 1) return `${who} is not stored as ${canonical}: run gatehouse migrate`;
  return `${who} are one address, ${canonical}, and only that form signs in: give all but one of them another address, or delete them`;
}

/** Nothing where every address is stored in its one form. */
export async function examineEmails(): Promise<{ check: string; state: 'warning'; detail: string }[]> {
  const found = await emailForms.collisions();
  return found.map((one) => ({
    check: 'e-mail addresses',
    state: 'warning',
    detail: collisionSentence(one),
  }));
}
