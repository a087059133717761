// How people come to an account of a local method. What a client registers (RFC 7591) is client.ts.
import { z } from 'zod';

const MODES = ['off', 'invite', 'open', 'approval'] as const;
type RegistrationMode = (typeof MODES)[number];

export const methodRegistration = z
  .enum(MODES, `must be ${MODES.join(', ')}`)
  .optional()
  .describe(
    'Who may make an account: nobody (off), whoever was invited (invite), everybody whose address is proved (open), or those of them whom somebody approved (approval)',
  );

export const REGISTRATION_WORDS = {
  '': { label: 'Off', note: 'An administrator makes the accounts.' },
  off: { label: 'Off, and said so', note: 'The same.' },
  invite: {
    label: 'Invited people',
    note: 'An invitation goes to an address, and its link makes the account.',
  },
  open: { label: 'Everybody', note: 'Whoever proves an address may make an account with it.' },
  approval: {
    label: 'Whoever is approved',
    note: 'Whoever proves an address waits until an approver or administrator lets them in.',
  },
};

/** What a method says of it; only a local one says anything. */
function registrationOf(method: { type: string; config: Record<string, unknown> }): RegistrationMode {
  const said = method.config['registration'];
  return (method.type === 'local' && MODES.find((mode) => mode === said)) || 'off';
}

type Method = Parameters<typeof registrationOf>[0];

/** May somebody begin who was not invited? */
export const isOpenToAll = (method: Method): boolean => ['open', 'approval'].includes(registrationOf(method));

/** Does whoever was not invited wait for an approval? */
export const asksApproval = (method: Method): boolean => registrationOf(method) === 'approval';

/**
 * Local methods share one store of people, so each is as open as the most open one. One message for each that is stricter;
 * a token says by which method somebody signed in, and not where their account was made.
 */
export function openedByOthers(
  methods: readonly (Method & { id: string })[],
): { id: string; message: string }[] {
  const local = methods
    .filter(({ type }) => type === 'local')
    .map((one) => [one, registrationOf(one)] as const);
  const ranks: RegistrationMode[] = ['off', 'invite', 'approval', 'open'];
  return local.flatMap(([{ id }, own]) => {
    const wider = local.filter(([, mode]) => ranks.indexOf(mode) > ranks.indexOf(own));
    const others = wider.map(([one, mode]) => `${one.id} (registration: ${mode})`).join(', ');
    if (others === '') return [];
    const message = `is ${own}, and people who make an account at ${others} sign in here too: local methods share one store. Give them the same registration, or say who may use a client by required_claim`;
    return [{ id, message }];
  });
}
