import { {{#bound}}IndexedDbDPoPStore, {{/bound}}type User, UserManager } from 'oidc-client-ts';
