// What an authentication method can do. Not a base class: the password grant asks for `verifyPassword`, and its absence
// is the answer (specification 1.6).

export type Verdict =
  | { kind: 'identity'; personId: string }
  | { kind: 'refused' }
  /** the one who could say is not there: nobody is let in */
  | { kind: 'unavailable' };

export type AuthMethod = {
  readonly id: string;
  readonly type: 'local' | 'external' | 'broker';
  readonly verifyPassword?: (username: string, password: string) => Promise<Verdict>;
};
