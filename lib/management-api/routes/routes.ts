// Every address of the management API, in the order of its document.
import type { Route } from '../route.ts';
import { accountRoutes } from './account.ts';
import { clientRoutes } from './clients.ts';
import { connectionRoutes } from './connections.ts';
import { findRoutes } from './find.ts';
import { groupRoutes } from './groups.ts';
import { apiLogoRoutes, clientLogoRoutes } from './logos.ts';
import { operationRoutes } from './operations.ts';
import { peopleRoutes } from './people.ts';
import { registryRoutes } from './registry.ts';
import { subscriptionRoutes } from './subscriptions.ts';

export const routes: readonly Route[] = [
  ...accountRoutes,
  ...clientRoutes,
  ...clientLogoRoutes,
  ...subscriptionRoutes,
  ...registryRoutes,
  ...apiLogoRoutes,
  ...groupRoutes,
  ...peopleRoutes,
  ...operationRoutes,
  ...findRoutes,
  ...connectionRoutes,
];
