export {
  countGroups,
  dropRulesOf,
  findGroup,
  GROUP_ROW,
  GROUPS,
  removeGroup,
  selectGroupNames,
  selectUnknownGroups,
  upsertGroup,
} from './groups.ts';
export {
  addMembers,
  GROUP_MEMBERS,
  GROUPS_BY_HAND,
  GROUPS_OF_PERSON,
  type Membership,
  removeMembers,
  selectMemberships,
  setGroupsByHand,
} from './members.ts';
