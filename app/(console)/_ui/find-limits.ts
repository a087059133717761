/** Of what is pasted: as the longest token that is read. */
export const LONGEST_TOKEN = 32_768;
