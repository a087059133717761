export { convertKeycloak } from './convert-keycloak.ts';
