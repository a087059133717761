export {
  countGroups,
  dropRulesOf,
  findGroup,
  GROUP_ROW,
  GROUPS,
  lockGroups,
  lockRuleMethods,
  removeGroup,
  selectGroupNames,
  selectGroupUses,
  selectUnknownGroups,
  upsertGroup,
} from './groups.ts';
export {
  addMembers,
  countOnlyBy,
  GROUP_MEMBERS,
  GROUPS_BY_HAND,
  GROUPS_OF_PERSON,
  removeMembers,
  selectMemberships,
  setGroupsByHand,
} from './members.ts';
