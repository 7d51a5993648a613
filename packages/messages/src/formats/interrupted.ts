/** Told to the model in place of the missing result. Fixed text: anything that varies would break prompt caches. */
export const INTERRUPTED = 'The tool call was interrupted before it returned a result.'
