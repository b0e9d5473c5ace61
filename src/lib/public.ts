/** The public members of a class: another class with the same members can take its place. */
export type Public<T> = { [K in keyof T]: T[K] };
