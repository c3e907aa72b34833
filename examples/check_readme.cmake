# Fails unless README shows the text of EXAMPLE word for word.
file(READ ${EXAMPLE} example)
file(READ ${README} readme)
string(STRIP "${example}" example)
string(FIND "${readme}" "${example}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "${README} does not show ${EXAMPLE} as it is")
endif()
