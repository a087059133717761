// The scopes and claims of OpenID Connect (Core §5.1, §5.4, §11). They belong to this service: no API defines a scope
// of these names, and no subscription's ceiling or `require_scope` is about them.

const IDENTITY = {
  openid: 'Sign you in, and recognise you when you come back',
  profile: 'Your name and your profile',
  email: 'Your e-mail address',
  address: 'Your postal address',
  phone: 'Your phone number',
  offline_access: 'Keep working when you are not there, even after you have signed out',
} as const;

export type OpenIdScope = keyof typeof IDENTITY;

/** In the order of answers and pages; the description is what the consent page says. */
export const OPENID_SCOPES: readonly { name: OpenIdScope; description: string }[] = Object.entries(
  IDENTITY,
).map(([name, description]) => ({ name: name as OpenIdScope, description }));

export const OPENID_SCOPE_NAMES: readonly string[] = OPENID_SCOPES.map(({ name }) => name);

/** The claims that each scope asks for. What a method's claim map adds comes with `profile`. */
export const SCOPE_CLAIMS: Readonly<Record<'profile' | 'email' | 'address' | 'phone', readonly string[]>> = {
  profile: [
    'name',
    'family_name',
    'given_name',
    'middle_name',
    'nickname',
    'preferred_username',
    'profile',
    'picture',
    'website',
    'gender',
    'birthdate',
    'zoneinfo',
    'locale',
    'updated_at',
  ],
  email: ['email', 'email_verified'],
  address: ['address'],
  phone: ['phone_number', 'phone_number_verified'],
};
