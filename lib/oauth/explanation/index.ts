export {
  type Explanation,
  type ExplanationAsked,
  explainRequest,
  PERSON_GRANTS,
  type PersonGrant,
} from './explain.ts';
export type { ExplainedStep, Note, StepName } from './steps.ts';
