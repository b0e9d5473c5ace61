import type { Answer } from './answers.ts';
import { undocumentedStatus, type World } from './world.ts';

/** The messaging area's errors, misspellings included (interface: Errors). The status is our guess at what is meant. */
const smsCodes = {
  ERROR_101: { message: 'sms_not_sent_success', description: 'SMS not sent', meaning: 400 },
  ERROR_102: { message: 'inufficient_balance', description: 'insufficient balance', meaning: 402 },
  ERROR_103: { message: 'balance_not_updated', description: 'balance not updated', meaning: 500 },
  ERROR_104: { message: 'invalid_content_request', description: 'request body not valid', meaning: 400 },
  ERROR_105: { message: 'invalid_data_content_request', description: 'request body not valid', meaning: 400 },
  ERROR_106: { message: 'invalid_type', description: 'type not valid', meaning: 400 },
  ERROR_107: { message: 'invalid_key', description: 'key not valid', meaning: 401 },
  ERROR_108: { message: 'invalid_sender_address', description: 'sender address not valid', meaning: 400 },
  ERROR_109: { message: 'empty_address', description: 'no address found', meaning: 400 },
  ERROR_110: { message: 'invalid_receiver_address', description: 'receiver address not valid', meaning: 400 },
  ERROR_111: {
    message: 'number_recipients_not_authorize',
    description: 'number of receivers not authorized (1 to 50 accepted)',
    meaning: 400,
  },
  ERROR_112: { message: 'invalid_content_message', description: 'message content not valid', meaning: 400 },
  ERROR_113: { message: 'content_sms_too_long', description: 'message content too long', meaning: 400 },
  ERROR_114: { message: 'invalid_start_date', description: 'start date not valid', meaning: 400 },
  ERROR_115: { message: 'invalid_ende_date', description: 'end date not valid', meaning: 400 },
  ERROR_116: { message: 'error_server', description: 'processing error on the server', meaning: 500 },
  ERROR_117: { message: 'invalid_credentials', description: 'credentials invalid', meaning: 401 },
  ERROR_118: { message: 'credentials_not_found', description: 'credentials not found', meaning: 401 },
  ERROR_119: { message: 'could_not_create_token', description: 'token not created', meaning: 500 },
  ERROR_120: { message: 'user_not_found', description: 'user not found', meaning: 404 },
  ERROR_121: { message: 'token_expired', description: 'token expired', meaning: 401 },
  ERROR_122: { message: 'token_invalid', description: 'token invalid', meaning: 401 },
  ERROR_123: { message: 'token_not_found', description: 'authorization token not found', meaning: 401 },
  ERROR_124: { message: 'logout_token', description: 'authorization token logged out', meaning: 401 },
} as const satisfies Record<string, { message: string; description: string; meaning: number }>;

export type SmsCode = keyof typeof smsCodes;

export const isSmsCode = (code: string): code is SmsCode => Object.hasOwn(smsCodes, code);

export function smsRefusal(code: SmsCode, world: World): Answer {
  const { message, description, meaning } = smsCodes[code];
  return { status: undocumentedStatus(world, meaning), body: { code, message, description } };
}
