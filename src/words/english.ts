/** What people read, in English. French has the same keys (`french.ts`), or the compiler complains. */
export const english = {
  stop: {
    title: 'Stop these texts',
    ask: 'You have opened the link of a text that you got. Press the button, and its sender will text you no more.',
    nothingYet: 'Nothing changes unless you press it. Codes that you ask for yourself still come.',
    button: 'No more texts from this sender',
    doneTitle: 'It is noted',
    done: 'If this is the link of a text to you, its sender will text that number no more. A text that is on its way may still come.',
    laterTitle: 'Not yet',
    later:
      'Nothing was changed, because too much is asked at this moment. Please press the button again in a minute.',
    otherLanguage: 'En français',
  },
} as const;
