// Tests that `npm run release-test` runs, and `npm test` does not: deliverable files, the commands and code of guides,
// gateways, third-party clients, and each page in each language, size and theme. A change of the protocol or of a page
// that breaks them usually breaks another test too; `.ci/run` runs both.

/** Playwright specs, as globs. They need the complete browser instead of the headless shell. */
export const RELEASE_SPECS = [
  '**/browser/clients/{apache,auth-js,spa-guide,web-app-guide}.spec.ts',
  '**/browser/clients/oidc-client-ts*.spec.ts',
  '**/protocol/clients/*.spec.ts',
  '**/protocol/openid/openid-clients.spec.ts',
  '**/protocol/operations/{build,debian,deploy-guide,image,package,served-packages}.spec.ts',
];

/** Playwright specs of pages, as globs. The headless shell is sufficient. */
export const RELEASE_PAGE_SPECS = [
  '**/browser/{account/account-languages,console/console-axe,pages/page-languages}.spec.ts',
];

/** Vitest files that need PostgreSQL, as globs. */
export const RELEASE_TESTS = ['testing/gateways/*.db.test.ts', 'testing/verify/*.db.test.ts'];
